/* Places in a text, marked. The API counts characters as Unicode does, JavaScript in halves of some of them. */

import { el } from "../parts/elements.js";

const HALVES = /[\ud800-\udbff]/;

/* A function from a character's number to its index in the string. */
function indexes(text) {
  if (!HALVES.test(text)) return (char) => char;
  const starts = [];
  for (let index = 0; index < text.length; index += text.codePointAt(index) > 0xffff ? 2 : 1) starts.push(index);
  return (char) => starts[char] ?? text.length;
}

/* The text as nodes; `marks` are {start, end, made}, where `made(words, mark)` gives the element around its words.
   Marks that overlap are cut where one ends or begins, so that every one is seen. */
export function marked(text, marks) {
  const index = indexes(text);
  const placed = marks
    .map((mark) => ({ ...mark, from: Math.max(0, index(Math.max(0, mark.start))), to: Math.min(text.length, index(mark.end)) }))
    .filter((mark) => mark.from < mark.to);
  const cuts = [...new Set([0, text.length, ...placed.flatMap((mark) => [mark.from, mark.to])])].sort((a, b) => a - b);
  const nodes = [];
  for (let i = 0; i + 1 < cuts.length; i += 1) {
    const words = text.slice(cuts[i], cuts[i + 1]);
    const over = placed.filter((mark) => mark.from <= cuts[i] && mark.to >= cuts[i + 1]);
    nodes.push(over.length ? over[over.length - 1].made(words, over[over.length - 1], over) : words);
  }
  return nodes;
}

/* Words that were found, set off. */
export function highlighted(text, marks) {
  return marked(text, (marks ?? []).map((mark) => ({ ...mark, made: (words) => el("mark", {}, words) })));
}
