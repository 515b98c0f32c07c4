/* The JSON API of the memory: the only thing that the page asks, and only of the server it came from. */

const PAGE = 100;

export class ApiError extends Error {
  constructor(message, code, status) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/* The memory did not answer at all. */
export class Unreachable extends Error {}

function query(parameters) {
  const pairs = Object.entries(parameters).flatMap(([name, value]) => [value].flat().map((one) => [name, one]))
    .filter(([, value]) => value !== undefined && value !== null && value !== "");
  return pairs.length ? `?${new URLSearchParams(pairs)}` : "";
}

async function answer(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable("The memory does not answer.");
  }
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  const sentence = body?.error ?? `The memory answered ${response.status} ${response.statusText}: reload the page.`;
  throw new ApiError(sentence, body?.code ?? "unavailable", response.status);
}

/* GET /api/<path>; `signal` ends it when the reader goes elsewhere. */
export function get(path, parameters = {}, signal = undefined) {
  return answer(`api/${path}${query(parameters)}`, { signal });
}

/* All entries of a list of the ledger, page after page. */
export async function every(path, parameters) {
  const items = [];
  for (;;) {
    const page = await get(path, { ...parameters, limit: PAGE, offset: items.length });
    items.push(...page.items);
    if (!page.items.length || items.length >= page.total_count) return items;
  }
}

/* DELETE /api/session: this browser has none any more. */
export function endSession() {
  return answer("api/session", { method: "DELETE" });
}

/* POST /api/<path> with a JSON body. While the memory does not answer it waits, and is sent again once it does. */
export async function post(path, body = undefined, parameters = {}, headers = {}) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { "Content-Type": "application/json" };
  for (let waited = false; ; waited = true) {
    try {
      const done = await answer(`api/${path}${query(parameters)}`, { method: "POST", headers: { ...type, ...headers }, ...sent });
      if (waited) document.dispatchEvent(new Event("written"));
      return done;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      const back = new Promise((resolve) => { document.addEventListener("back", resolve, { once: true }); });
      document.dispatchEvent(new Event("away"));
      await back;
    }
  }
}
