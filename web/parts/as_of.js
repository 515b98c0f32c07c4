/* "As of": the moment from which text, graph and ledger are seen together. */

import { get } from "./api.js";
import { changed, go, here } from "./address.js";
import { day, el, labelled, replace } from "./elements.js";

const DAY = 86_400_000;

function iso(number) {
  return new Date(number * DAY).toISOString().slice(0, 10);
}

function number(date) {
  return Math.floor(Date.parse(date.slice(0, 10)) / DAY);
}

/* A slider over the days of the memory, folded away until it is wanted; at its right end everything is seen. */
export function asOf() {
  const today = number(new Date().toISOString());
  const slider = el("input", { type: "range", id: "as-of", min: today - 730, max: today, value: today });
  const date = el("input", { type: "date", id: "as-of-date" });
  const begin = el("span", { "aria-hidden": "true" }, day(iso(today - 730)));
  const says = el("span", { class: "quiet" });
  const now = el("button", { type: "button", class: "plain", onclick: () => set(null) }, "Back to now");
  const summary = el("summary", {});
  const details = el("details", { class: "as-of" }, summary,
    el("div", { class: "row" }, labelled("Go back in time", el("span", { class: "ends" }, begin, slider, el("span", { "aria-hidden": "true" }, "today"))), labelled("Or choose a day", date), now, says));

  const set = (value) => go(changed({ as_of: value, offset: null }));
  slider.addEventListener("input", () => { says.textContent = day(iso(Number(slider.value))); });
  slider.addEventListener("change", () => set(Number(slider.value) >= today ? null : iso(Number(slider.value))));
  date.addEventListener("change", () => { if (!Number.isNaN(number(date.value))) set(date.value); });

  const place = () => changed({ as_of: null, offset: null });
  let from = place();
  const mark = (at) => {
    if (place() !== from) details.open = false;
    from = place();
    replace(summary, at ? `As of ${day(at)}: what was known then` : "As of now");
    details.classList.toggle("past", Boolean(at));
    slider.value = at ? number(at) : today;
    slider.setAttribute("aria-valuetext", at ? day(at) : "now");
    date.value = at ? at.slice(0, 10) : "";
    now.hidden = !at;
    says.textContent = "";
  };
  document.addEventListener("moment", (event) => mark(event.detail));
  details.addEventListener("toggle", () => details.open && reach(slider, begin));
  mark(here().at.as_of);
  return details;
}

/* Let the slider reach back to the oldest text. */
async function reach(slider, begin) {
  const health = await get("health", { project: here().at.project }).catch(() => null);
  if (health?.earliest) slider.min = Math.min(number(health.earliest), Number(slider.max) - 1);
  replace(begin, day(iso(Number(slider.min))));
}
