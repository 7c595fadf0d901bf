// The parts of a message in the browser: texts stay texts, and only safe addresses are opened.
import assert from "node:assert/strict";
import { test } from "node:test";

class Element {
  constructor(tag) {
    this.tag = tag;
    this.children = [];
    this.attributes = {};
    this.textContent = "";
  }
  append(...children) { this.children.push(...children); }
  setAttribute(name, value) { this.attributes[name] = value; }
  all(tag) { return this.children.flatMap(child => [...(child.tag === tag ? [child] : []), ...child.all(tag)]); }
}

globalThis.document = {
  createElement: tag => new Element(tag),
  baseURI: "https://shop.example/help/chat/",
  documentElement: { dataset: { root: "/help/" } },
};
const { partsElement } = await import("../../static/js/shared/message_parts.js");

test("a table has a heading for each column and a cell for each value, as text", () => {
  const rows = [["<b>W1</b>", "€30.00"], ["W2", ""]];

  const bubble = partsElement([{ type: "table", columns: ["Order", "Total"], rows, total: 14, more: "and 12 more" }]);

  assert.deepEqual(bubble.all("th").map(cell => cell.textContent), ["Order", "Total"]);
  assert.deepEqual(bubble.all("td").map(cell => cell.textContent), ["<b>W1</b>", "€30.00", "W2", ""]);
  assert.deepEqual(bubble.all("p").map(line => line.textContent), ["and 12 more"]);
});

test("only web and mail addresses are links", () => {
  const addresses = ["https://a.example", "mailto:a@a.example", "javascript:alert(1)", "data:text/html,x", "http://[::1"];
  const links = addresses.map(url => ({ label: url, url }));

  const anchors = partsElement([{ type: "links", links }]).all("a");

  assert.deepEqual(anchors.map(link => link.href), ["https://a.example", "mailto:a@a.example"]);
  assert.ok(anchors.every(link => link.rel === "noopener noreferrer"));
});

test("an image without a web address is its description", () => {
  const parts = [{ type: "image", url: "data:image/png,x", alt: "A map" }, { type: "image", url: "/i/a.png", alt: "Us" }];

  const bubble = partsElement(parts);

  assert.deepEqual(bubble.all("p").map(line => line.textContent), ["A map"]);
  assert.deepEqual(bubble.all("img").map(image => [image.src, image.alt]), [["/i/a.png", "Us"]]);
});

test("a file is a download below the console's prefix, and only its name once it is deleted", () => {
  const bubble = partsElement([{ type: "files", files: [{ id: "7/a", name: "bill.pdf" }, { name: "gone.pdf" }] }]);

  assert.deepEqual(bubble.all("a").map(link => [link.href, link.textContent]), [["/help/chat/files/7%2Fa/", "bill.pdf"]]);
  assert.deepEqual(bubble.all("span").map(name => name.textContent), ["gone.pdf"]);
});

test("a part of an unknown type is left out", () => {
  assert.equal(partsElement([{ type: "hologram" }, { type: "text", text: "Hello" }]).children.length, 1);
});
