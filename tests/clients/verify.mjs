// Checks webhooks with the JavaScript client: cases as JSON on stdin, what each came to as JSON on stdout.
import { readFileSync } from "node:fs";

import { WebhookRefused, verifyWebhook } from "../../clients/javascript/soni-client.js";

const outcomes = {};
for (const { name, headers, body, secret, now } of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    outcomes[name] = { taken: await verifyWebhook(headers, body, secret, { now }) };
  } catch (error) {
    if (!(error instanceof WebhookRefused)) throw error;
    outcomes[name] = { refused: error.message };
  }
}
console.log(JSON.stringify(outcomes));
