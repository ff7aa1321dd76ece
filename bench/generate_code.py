"""Makes source code of many languages: what a function, a class or a rule of each looks like."""

import os
import string

import generate

# One piece of each language; a file has as many as its size takes. $a ... $e are words, $n a number,
# $s a sentence.
PIECES = {
    "c": """/* $s */
static int ${a}_$b(const struct $c *$d, size_t count)
{
	int $e = $n;
	for (size_t i = 0; i < count; ++i) {
		if ($d[i].$c > $e && $d[i].next != NULL) {
			$e += $d[i].$c * $n;
			log_message("$s", $e);
		} else {
			$d[i].seen = 1;
		}
	}
	return $e > 0 ? $e : -1;
}
""",
    "cc": """// $s
std::vector<int> ${a}_$b(const std::map<std::string, int>& $c, int $d) {
  std::vector<int> $e;
  for (const auto& [key, value] : $c) {
    if (value > $d + $n || key.empty()) continue;
    $e.push_back(value * $n);
    Log("$s", key, $e.size());
  }
  std::sort($e.begin(), $e.end(), [](int left, int right) { return left > right; });
  return $e;
}
""",
    "js": """// $s
export function ${a}_$b($c, options = {}) {
  const $d = $c.filter((one) => one.$e > $n && !options.${a});
  let total = 0;
  for (const one of $d) {
    total += one.$e * $n;
    if (total > options.limit) throw new Error(`$s $${total}`);
  }
  return { $d, total, label: "$s" };
}
""",
    "ts": """/** $s */
export class ${a}_$b implements Base<string> {
  private readonly $c: Map<string, number> = new Map();
  constructor(protected $d: number, private ${e}?: string) { super($d); }
  find(key: string): number | undefined {
    const found = this.$c.get(key) ?? this.$d + $n;
    if (found > $n) { return undefined; }
    return found * $n;
  }
}
""",
    "tsx": """// $s
export function ${a}_$b({ $c, onSelect }: Props) {
  const [$d, set$d] = useState<number>($n);
  if (!$c.length) return <p className="$e">$s</p>;
  return (
    <ul onClick={() => set$d($d + $n)}>
      {$c.map((one) => <li key={one.id} className="$e">{one.name}</li>)}
    </ul>
  );
}
""",
    "go": """// ${a}_$b: $s
func (s *$c) ${a}_$b(ctx context.Context, $d []string) (map[string]int, error) {
	$e := make(map[string]int, len($d))
	for i, name := range $d {
		if len(name) > $n {
			return nil, fmt.Errorf("$s: %d: %w", i, errTooLong)
		}
		$e[name] += i * $n
	}
	return $e, nil
}
""",
    "rs": """/// $s
#[derive(Debug, Clone)]
pub fn ${a}_$b<T: Into<u64>>($c: &[T], $d: Option<&str>) -> Result<u64, Error> {
    let mut $e = 0u64;
    for (i, value) in $c.iter().enumerate() {
        match $d {
            Some(name) if name.len() > $n => return Err(Error::new("$s", i)),
            _ => $e += value.clone().into() * $n,
        }
    }
    Ok($e)
}
""",
    "java": """class ${a}_$b extends Base {
    private final List<String> $c = new ArrayList<>();
    /** $s */
    public Map<String, Integer> $d(int $e, String name) throws IOException {
        Map<String, Integer> result = new HashMap<>();
        for (String one : $c) {
            if (one.length() > $e + $n) continue;
            result.merge(one, $n, Integer::sum);
        }
        return result;
    }
}
""",
    "cs": """/// <summary>$s</summary>
public class ${a}_$b : Base
{
    private readonly List<string> $c = new List<string>();
    public int $d { get; private set; } = $n;
    public IEnumerable<string> Find(int $e, string name)
    {
        foreach (var one in $c)
        {
            if (one.Length > $e + $n) continue;
            yield return one + name + "$s";
        }
    }
}
""",
    "rb": """# $s
def ${a}_$b($c, options = {})
  $d = $c.select { |one| one.$e > $n && !options[:$a] }
  $d.each_with_index do |one, index|
    raise ArgumentError, "$s" if index > $n
    yield one.$e * $n
  end
  { $d: $d, label: "$s" }
end
""",
    "php": """/** $s */
function ${a}_$b(array $$$c, ?string $$$d = null): array
{
    $$$e = [];
    foreach ($$$c as $$key => $$value) {
        if ($$value > $n && $$$d !== null) {
            continue;
        }
        $$$e[$$key] = $$value * $n;
    }
    return ['label' => '$c', 'values' => $$$e];
}
""",
    "sh": """# $a and $b
${a}_$b() {
  local $c=$$1 $d=$${2:-$n}
  if [ "$$$c" -gt "$$$d" ]; then
    echo "$s $$$c" >&2
    return 1
  fi
  for $e in "$$@"; do
    printf '%s\\n' "$$$e" | sort | head -n $n
  done
}
""",
    "css": """/* $s */
.${a}-$b > .$c:hover, #$d a[href^="$e"] {
  width: calc(100% - ${n}px);
  margin: 0 ${n}px ${n}px;
  color: #f80;
  transition: opacity 0.3s ease-in-out;
}
""",
    "sql": """-- $s
CREATE TABLE ${a}_$b (
  id INTEGER PRIMARY KEY,
  $c TEXT NOT NULL,
  $d NUMERIC DEFAULT $n
);
INSERT INTO ${a}_$b (id, $c, $d) VALUES ($n, '$e', $n);
SELECT $c, COUNT(*) FROM ${a}_$b WHERE $d > $n GROUP BY $c ORDER BY $c;
""",
    "py": """def ${a}_$b($c, $d=None):
    \"\"\"$s\"\"\"
    $e = {}
    for index, value in enumerate($c):
        if value > $n and $d is not None:
            raise ValueError(f"$s {value}")
        $e[index] = [value * $n for _ in range($n)]
    return $e
""",
}
HEADS = {"php": "<?php\n", "go": "package main\n\n", "sh": "#!/usr/bin/env bash\n"}
RESERVED = {"in", "or", "do", "if", "go", "is", "as", "to", "of", "no", "on", "un"}


def make_sources(folder, files=1_000, size_bytes=8_000):
    """That many files, the languages in turn."""
    text = generate._Text(23)
    templates = {suffix: string.Template(piece + "\n") for suffix, piece in PIECES.items()}
    for number in range(files):
        suffix = list(PIECES)[number % len(PIECES)]
        size = int(size_bytes * min(6, text.rng.lognormvariate(-0.4, 0.9)))
        parts, length = [HEADS.get(suffix, "")], 0
        while length < size or len(parts) == 1:
            words = [word + "x" if word in RESERVED else word for word in text.take(5)]
            part = templates[suffix].substitute(dict(zip("abcde", words)), n=text.rng.randint(2, 999),
                                                s=text.sentence())
            parts.append(part)
            length += len(part)
        with open(os.path.join(folder, f"source{number:04}.{suffix}"), "w", encoding="utf-8") as file:
            file.write("".join(parts))
