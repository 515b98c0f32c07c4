/* What is shown, as a file: a drawing, a table, or a text for a report. */

import { day, el } from "./elements.js";

/* Give a file to the reader; a promise of its contents will do. */
export async function save(contents, name) {
  const url = URL.createObjectURL(new Blob([await contents]));
  const link = el("a", { href: url, download: name.replace(/[\\/:*?"<>|\u0000-\u001f]/g, " ").slice(0, 100) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const COLUMNS = [["Status", (one) => one.status], ["Summary", (one) => one.summary], ["By", (one) => one.owners?.join("; ")],
  ["Date", (one) => one.event_time?.slice(0, 10)], ["Due", (one) => one.due?.slice(0, 10)], ["Quote", (one) => one.evidence?.[0]?.quote],
  ["Text", (one) => one.title], ["Id", (one) => one.id]];

/* Entries of the ledger as a table. A cell that a spreadsheet would compute is set in quotes. */
export function csv(items) {
  const cell = (text) => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  return [COLUMNS.map(([name]) => cell(name)), ...items.map((one) => COLUMNS.map(([, value]) => cell(value(one) ?? "")))].map((row) => row.join(",")).join("\r\n");
}

/* Entries of the ledger as Markdown, with the words that each rests on and where they are. */
export function markdown(title, items) {
  const line = (one) => [`- **${plain(one.summary)}** (${[one.status, one.owners?.join(", "), day(one.event_time), one.due && `due ${day(one.due)}`].filter(Boolean).join(", ")})`,
    ...(one.evidence ?? []).slice(0, 1).map(({ quote, artifact_id, start_char, end_char }) => (
      `  > ${quote.replaceAll("\n", "\n  > ")}\n  > (${plain(one.title ?? "")}, ${artifact_id ?? one.artifact_id}, characters ${start_char} to ${end_char})`))].join("\n");
  return `# ${title}\n\n${items.map(line).join("\n")}\n`;
}

function plain(text) {
  return text.replace(/([\\`*_[\]<>])/g, "\\$1").replaceAll("\n", " ");
}

/* Two buttons that save what a list holds; `all` gives its entries. */
export function exports(title, all) {
  const button = (name, made, ending) => el("button", { type: "button", class: "plain small",
    onclick: async () => save(made(await all()), `${title}.${ending}`) }, name);
  return el("span", { class: "exports" }, button("Markdown", (items) => markdown(title, items), "md"), button("CSV", csv, "csv"));
}
