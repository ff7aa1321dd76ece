import type { Point } from "./point";
import fs = require("fs");
export * from "./point";

/** What has an area. */
export interface Measurable<T = number> {
  readonly unit: string;
  area(): T;
  (value: T): void;
}

export enum Color { Red, Green = "green", "dark blue" }
declare const VERSION: string;
export type Sized = { width: number; grow(by: number): void };
type Either = "a" | "b";

function parse(text: string): Shape;
function parse(text: Buffer): Shape;
function parse(text: any): Shape { return new Square(text); }

@Component({ selector: "shape" })
export abstract class Shape implements Measurable {
  @Input() private name?: string = "none";
  static readonly origin: Point;
  constructor(protected width: number) { super(); }
  abstract area(): number;
  // Makes it bigger.
  @Bound
  grow = (by: number): void => { this.width += by; };
  get unit(): string { return "px"; }
  private static make<T>(this: T): T;
}

namespace Geometry.Plane {
  export function rotate(shape: Shape) { let angle = 1; return shape; }
  export namespace Inner { export const depth = 2; }
}
declare module "legacy" {
  export function old(): void;
}
export default class extends Shape { area() { return <number>1; } }
const make = <T,>(value: T): T => value;
