/* The page: the header, and below it the view that the address names. It outlives the server: while that is away it
   says so and asks again, and shows the view anew when the server is back. */

import { get, Unreachable } from "./parts/api.js";
import { changed, go, here } from "./parts/address.js";
import { el, replace } from "./parts/elements.js";
import { failure } from "./parts/failure.js";
import { header, markHere } from "./parts/header.js";
import { signIn } from "./parts/sign_in.js";
import { applyTheme } from "./parts/theme.js";
import * as commitments from "./views/commitments.js";
import * as communities from "./views/communities.js";
import * as decisions from "./views/decisions.js";
import * as explore from "./views/explore.js";
import * as health from "./views/health.js";
import * as home from "./views/home.js";
import * as paths from "./views/paths.js";
import * as review from "./views/review.js";
import * as search from "./views/search.js";
import * as thing from "./views/thing.js";

const AGAIN = 2000;
/* A session lasts 12 hours from when it was last asked for. */
const RENEWAL = 3_600_000;
const VIEWS = { "": home, search, thing, explore, paths, decisions, commitments, communities, review, health };

const content = document.getElementById("content");
const notice = document.getElementById("notice");
let shown = { view: null, module: null };
let leaving = new AbortController();
let session = null;

/* A view begins at its top or where it says, and one that the reader comes back to where it was left. */
const places = new Map();
let place = null;
function arrive() {
  if (!history.state?.place) history.replaceState({ place: crypto.randomUUID?.() ?? String(Math.random()) }, "");
  place = history.state.place;
  return places.get(place);
}

/* Show what the address names; a view that can take the change in itself does so. */
async function show({ anew = false } = {}) {
  const top = arrive();
  const { view, at } = here();
  markHere(view, at);
  if (!anew && shown.view === view && (await shown.module?.update?.(at))) {
    name(shown.module, at);
    return;
  }
  leaving.abort();
  leaving = new AbortController();
  const signal = leaving.signal;
  content.setAttribute("aria-busy", "true");
  try {
    const module = Object.hasOwn(VIEWS, view) ? VIEWS[view] : home;
    shown = { view, module };
    await module.show(content, { at, signal, session });
    if (signal.aborted) return;
    name(module, at);
    if (anew) return;
    scrollTo({ top: top ?? 0, behavior: "instant" });
    if (top === undefined) content.querySelector("[data-arrive]")?.scrollIntoView({ behavior: "instant" });
  } catch (error) {
    if (error.name === "AbortError" || signal.aborted) return;
    shown = { view: null, module: null };
    document.title = "Remembrancer";
    replace(content, failed(error));
  } finally {
    if (!signal.aborted) content.removeAttribute("aria-busy");
  }
}

function name(module, at) {
  document.title = `${module.title(at)} · Remembrancer`;
}

function failed(error) {
  if (error instanceof Unreachable) away();
  if (error.status === 401) return signIn(begin);
  return failure(error);
}

/* Say that the server is gone, and ask until it is back. */
let waiting = null;
function away() {
  if (waiting) return;
  replace(notice, el("p", { class: "away" },
    "The memory does not answer. Start it again with ", el("code", {}, "remembrancer serve"), " or ",
    el("code", {}, "remembrancer browse"), ". This page goes on by itself, and sends what you changed meanwhile."));
  waiting = setInterval(async () => {
    try {
      await get("session");
    } catch (error) {
      if (error instanceof Unreachable) return;
    }
    clearInterval(waiting);
    waiting = null;
    replace(notice);
    await begin();
    document.dispatchEvent(new Event("back"));
  }, AGAIN);
}

async function begin() {
  try {
    session = await get("session");
  } catch (error) {
    content.removeAttribute("aria-busy");
    replace(content, failed(error));
    return;
  }
  if (!here().at.project && !session.projects.includes("default")) go(changed({ project: session.projects[0] }), { instead: true });
  replace(document.getElementById("header"), header(session));
  await show({ anew: true });
  import("./graph/canvas.js"); // the large library, before the server could be gone
}

document.addEventListener("away", away);
document.addEventListener("written", () => show({ anew: true }));
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address is taken by the view
  content.focus();
});
history.scrollRestoration = "manual";
addEventListener("scroll", () => { if (place && !content.hasAttribute("aria-busy")) places.set(place, scrollY); }, { passive: true });
addEventListener("hashchange", () => (session ? show() : begin()));
setInterval(() => session && get("session").catch((error) => error instanceof Unreachable && away()), RENEWAL);
applyTheme();
begin();
