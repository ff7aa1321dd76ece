#!/usr/bin/env node
import { area as areaOf } from "./area.js";
const fs = require("fs");

/** Most shapes that a list may hold. */
export const LIMIT = 100, names = ["circle", "square"];

// A shape.
// Of some kind.
export class Shape extends Base {
  static count = 0;
  #sides = 4;
  onResize = (width) => { this.width = width; };

  constructor(width) {
    super();
    const local = width * 2;
    this.width = local;
  }

  // Its area.
  get area() { return areaOf(this); }
  set area(value) { this.width = Math.sqrt(value); }
  async *corners() { yield 1; }
  static { Shape.count = 1; }
  [Symbol.iterator]() { return this.corners(); }
  "full name"() { return "shape"; }
}

export default function (shapes) {
  function inner(one) { return one.area; }
  return shapes.map(inner);
}

const scale = async (shape, by = 2) => {
  const helper = function () { return by; };
  return helper();
};

let api = {
  list() { return []; },
  remove: function (id) { return id; },
  nested: { deep: () => 1 },
  size: 3,
};

Shape.prototype.describe = function () { return "a shape"; };
module.exports = { scale, close() {} };
(function () {
  function hidden() {}
  var secret = 1;
})();
const { join, ...rest } = path;
function* walk() {}
var x = 1; /* not of y */ var y = 2;
