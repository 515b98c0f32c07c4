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
   Marks that overlap are cut where one ends or begins, and the last of them is drawn; a sign of Markdown stays hidden, and a bullet a bullet. */
export function marked(text, marks) {
  const index = indexes(text);
  const placed = marks
    .map((mark, rank) => ({ ...mark, rank, from: Math.max(0, index(Math.max(0, mark.start))), to: Math.min(text.length, index(mark.end)) }))
    .filter((mark) => mark.from < mark.to);
  placed.sort((a, b) => a.from - b.from);
  const cuts = [...new Set([0, text.length, ...placed.flatMap((mark) => [mark.from, mark.to])])].sort((a, b) => a - b);
  const nodes = [];
  let open = [];
  for (let i = 0, next = 0; i + 1 < cuts.length; i += 1) {
    while (next < placed.length && placed[next].from <= cuts[i]) open.push(placed[next++]);
    open = open.filter((mark) => mark.to > cuts[i]);
    const words = text.slice(cuts[i], cuts[i + 1]);
    const top = open.find((mark) => mark.hides || mark.stands) ?? open.reduce((one, mark) => (one === null || mark.rank >= one.rank ? mark : one), null);
    nodes.push(top ? top.made(words, top, open) : words);
  }
  return nodes;
}

/* Words that were found, set off. */
export function highlighted(text, marks) {
  return marked(text, [...markdown(text), ...(marks ?? []).map((mark) => ({ ...mark, made: (words) => el("mark", {}, words) }))]);
}

/* What Markdown draws: headings and strong words stand out, and the signs that say so are left out. Linear in the text. */
const SIGNS = [
  [/^([ \t]*)([-*+])([ \t]+(?=\S))/gm, ["", "bullet", ""]],
  [/^((?:-{3,}|\*{3,}|_{3,})[ \t]*(?:\n|$))/gm, ["sign"]],
  [/(\n[ \t]*\n)((?:[ \t]*\n)+)/g, ["", "sign"]],
  [/^(#{1,6}[ \t]+)([^\n]*)$/gm, ["sign", "heading"]],
  [/((?<![\\`])\*\*)(?![\s`])([^*\n]{1,500})(?<![\s\\`])(\*\*)/g, ["sign", "strong", "sign"]],
  [/(`{3}[^]{0,5000}?`{3}|`[^`\n]{1,500}`)|(\\)(?=[\\`*_{}[\]()#+\-.!~|<>])/g, ["", "sign"]],
  [/(!?\[)((?:[^\]\n]|\n(?!\n)){0,300})(\]\([^)\s]{0,2000}(?:\)|$))/g, ["sign", "", "sign"]],
];

/* Marks for `marked`: what has a class is drawn by it. */
export function markdown(text) {
  const number = numbers(text);
  const marks = [];
  for (const [pattern, classes] of SIGNS) {
    for (const match of text.matchAll(pattern)) {
      let index = match.index;
      classes.forEach((name, i) => {
        const end = index + (match[i + 1]?.length ?? 0);
        if (name && end > index) marks.push({ start: number(index), end: number(end), hides: name === "sign", stands: name === "bullet", made: (words) => (name === "bullet" ? "•" : el("span", { class: name }, words)) });
        index = end;
      });
    }
  }
  return marks;
}

/* A line, such as a summary, without the signs of Markdown, of a link that is cut off too. */
export function plain(line) {
  return line.replace(/!?\[([^\]\n]*)\]\([^)\s]*(?:\)|$)/g, "$1").replace(/\[([^\][\n]*(?:…|$))/g, "$1")
    .replace(/(?<![\\`])\*\*(?![\s`])([^*\n]+)(?<![\s\\`])\*\*/g, "$1").replace(/\\([\\`*_{}[\]()#+\-.!~|<>])/g, "$1");
}

/* A line that goes on with the sentence of the line before: indented, or in small letters. */
const CONTINUED = /^(?:[ \t]+[\p{L}([]|\p{Ll})/u;

/* The place of the first sentence of a found passage that has the most of the words asked for; without words the passage. */
export function sentencePlace(one) {
  const points = [...one.content];
  const { start_char: start, end_char: end } = one.chunk ?? { start_char: 0, end_char: points.length };
  const whole = points.length > end - start;
  const [from, to] = whole ? [start, end] : [0, points.length];
  const sentences = [];
  for (let first = from, at = from; at < to; at += 1) {
    const ends = (points[at] === "\n" && !CONTINUED.test(points.slice(at + 1, at + 20).join(""))) || (/[.!?]/.test(points[at]) && /\s/.test(points[at + 1] ?? " ")) || at + 1 === to;
    if (ends) {
      sentences.push({ first, last: at + 1, words: new Set() });
      first = at + 1;
    }
  }
  for (const mark of one.marks) {
    sentences.find(({ first, last }) => mark.start >= first && mark.start < last)?.words.add(points.slice(mark.start, mark.end).join("").toLowerCase());
  }
  const best = sentences.reduce((most, sentence) => (sentence.words.size > most.words.size ? sentence : most), { words: new Set() });
  if (!best.words.size) return one.chunk;
  const before = /^\s*(?:(?:[-*+]|#{1,6}|\d+\.)\s+)?/.exec(points.slice(best.first, best.last).join(""))[0].length;
  const shift = whole ? 0 : start;
  return { start_char: best.first + before + shift, end_char: best.last + shift - (points[best.last - 1] === "\n" ? 1 : 0) };
}

/* A function from an index in the string to the character's number. */
function numbers(text) {
  if (!HALVES.test(text)) return (index) => index;
  const counted = new Uint32Array(text.length + 1);
  for (let index = 0, char = 0; index < text.length; char += 1) {
    const step = text.codePointAt(index) > 0xffff ? 2 : 1;
    counted[index] = char;
    if (step === 2) counted[index + 1] = char;
    index += step;
    counted[index] = char + 1;
  }
  return (index) => counted[index];
}

/* The part of a found text that is shown: its passage, or as many characters of it as hold most of the words asked for. */
export function excerpt(one, length = 600) {
  const points = [...one.content];
  const late = beginsWithin(one, points);
  if (points.length - late <= length) return part(one, points, late, points.length, false);
  // What was found is either the whole text with a passage in it, or the passage alone.
  const passage = one.chunk && points.length > one.chunk.end_char - one.chunk.start_char ? one.chunk : { start_char: 0, end_char: points.length };
  const within = one.marks.filter((mark) => mark.start >= passage.start_char && mark.end <= passage.end_char);
  const marks = within.length ? within : one.marks;
  let best = { from: passage.start_char, number: 0 };
  for (let first = 0, last = 0; first < marks.length; first += 1) {
    while (last < marks.length && marks[last].end <= marks[first].start + length * 0.75) last += 1;
    const words = new Set(marks.slice(first, Math.min(last, first + 60)).map((mark) => points.slice(mark.start, mark.end).join("").toLowerCase())).size;
    if (words > best.number) best = { from: marks[first].start, number: words };
  }
  const from = Math.max(late, lineBefore(points, best.from));
  let to = Math.min(points.length, from + length);
  while (to < points.length && to > from + length / 2 && /\S/.test(points[to - 1])) to -= 1;
  return part(one, points, from, to, true);
}

function part({ marks }, points, from, to, cut) {
  return { text: points.slice(from, to).join("").trimEnd(), cut,
    marks: marks.filter((mark) => mark.start >= from && mark.end <= to).map((mark) => ({ start: mark.start - from, end: mark.end - from })) };
}

/* Where a passage from the middle of a text begins a line or sentence, or at least a word. */
function beginsWithin({ chunk, marks }, points) {
  if (!chunk?.start_char || points.length > chunk.end_char - chunk.start_char || /[\p{Lu}\p{P}#+]/u.test(points[0])) return 0;
  const before = points.slice(0, Math.min(marks[0]?.start ?? 200, 200)).join("");
  return [...(/^[^]*?(?:\n\s*|[.!?]\s+)/.exec(before) ?? /^\S*\s+/.exec(before) ?? [""])[0]].length;
}

function lineBefore(points, place) {
  for (let at = place; at > Math.max(0, place - 200); at -= 1) if (points[at - 1] === "\n") return at;
  let at = Math.max(0, place - 60);
  while (at > 0 && at < place && /\S/.test(points[at - 1])) at += 1;
  return at;
}
