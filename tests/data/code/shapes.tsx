import React from "react";

type Props = { title: string };

// One line of the list.
export const Row: React.FC<Props> = ({ title }) => <li className="row">{title}</li>;

export default function List({ rows }: { rows: Props[] }) {
  const onClick = () => undefined;
  return (
    <ul onClick={onClick}>
      {rows.map((row) => <Row key={row.title} {...row} />)}
    </ul>
  );
}

class Panel extends React.Component<Props> {
  state = { open: false };
  render() { return <>{this.props.title}</>; }
}
