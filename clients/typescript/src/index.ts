/* A client of the HTTP API of Remembrancer. Paths, parameters and answers have the types of its OpenAPI description. */

import createClient, { type Client, type Middleware } from "openapi-fetch";
import type { components, paths } from "./schema.js";

export type { components, operations, paths } from "./schema.js";

/* The types of answers by their names, such as Schemas["Recall"]. */
export type Schemas = components["schemas"];

/* An answer that is an error: what to do, the code of the service, and the status of HTTP. */
export class RemembrancerError extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly status: number,
  ) {
    super(message);
    this.name = "RemembrancerError";
  }
}

const throwing: Middleware = {
  async onResponse({ response }) {
    if (response.ok || response.status === 304) return undefined;
    const said = await response
      .clone()
      .json()
      .catch(() => ({}));
    throw new RemembrancerError(
      said.error ?? `The server answered ${response.status}: check its address, and the proxy before it.`,
      said.code ?? "unavailable",
      response.status,
    );
  },
};

/* Return a client of the server at this address, such as https://memory.example, which sends the token. Its calls throw
   a RemembrancerError where the server refuses, and what `fetch` throws where it does not answer. */
export function connect(address: string, token: string): Client<paths> {
  const client = createClient<paths>({
    baseUrl: address.replace(/\/+$/, ""),
    headers: { Authorization: `Bearer ${token}` },
  });
  client.use(throwing);
  return client;
}
