// The parts of a message as elements: text, lists, tables, links and images. What a part says goes in as text, and only
// web and mail addresses become links, so that no value of a customer is ever markup or a script.
import { address } from "./addresses.js";
import { makeElement } from "./elements.js";

const LINK_PROTOCOLS = new Set(["http:", "https:", "mailto:"]);
const IMAGE_PROTOCOLS = new Set(["http:", "https:"]);

/** All parts in one bubble. Parts of an unknown type are left out: a newer server may know more than this page. */
export function partsElement(parts) {
  const bubble = makeElement("div", "parts");
  for (const part of parts) bubble.append(...(PART_ELEMENTS[part.type]?.(part) ?? []));
  return bubble;
}

const PART_ELEMENTS = {
  text: ({ text }) => [makeElement("p", "", text)],
  list: ({ items, more }) => [listElement(items), ...moreElements(more)],
  table: ({ columns, rows, more }) => [tableElement(columns, rows), ...moreElements(more)],
  links: ({ links }) => [linksElement(links)],
  image: ({ url, alt }) => [imageElement(url, alt)],
  files: ({ files }) => [filesElement(files)],
};

function listElement(items) {
  const list = makeElement("ul");
  list.append(...items.map(item => makeElement("li", "", item)));
  return list;
}

function moreElements(more) {
  return more ? [makeElement("p", "more", more)] : [];
}

// A wide table scrolls inside its bubble, also with the keyboard.
function tableElement(columns, rows) {
  const table = makeElement("table"), head = makeElement("thead"), body = makeElement("tbody");
  head.append(rowElement(columns, column => {
    const cell = makeElement("th", "", column);
    cell.scope = "col";
    return cell;
  }));
  body.append(...rows.map(row => rowElement(row, value => makeElement("td", "", value))));
  table.append(head, body);
  const scroller = makeElement("div", "table-scroll");
  scroller.tabIndex = 0;
  scroller.setAttribute("role", "group");
  scroller.setAttribute("aria-label", columns.join(", "));
  scroller.append(table);
  return scroller;
}

function rowElement(values, cellElement) {
  const row = makeElement("tr");
  row.append(...values.map(cellElement));
  return row;
}

function linksElement(links) {
  const row = makeElement("p", "links");
  for (const { label, url } of links) {
    if (!hasProtocol(url, LINK_PROTOCOLS)) continue;
    const link = makeElement("a", "", label);
    link.href = url;
    link.target = "_blank";
    link.rel = "noopener noreferrer";
    row.append(link);
  }
  return row;
}

// The content of a file comes from this server, as a download.
function filesElement(files) {
  const row = makeElement("p", "links");
  for (const { id, name } of files) {
    const link = makeElement(id ? "a" : "span", "", name);
    if (id) {
      link.href = address(`chat/files/${encodeURIComponent(id)}/`);
      link.setAttribute("download", "");
    }
    row.append(link);
  }
  return row;
}

function imageElement(url, alt) {
  if (!hasProtocol(url, IMAGE_PROTOCOLS)) return makeElement("p", "", alt);
  const image = makeElement("img");
  image.alt = alt;
  image.loading = "lazy";
  image.src = url;
  return image;
}

function hasProtocol(url, protocols) {
  try {
    return protocols.has(new URL(url, document.baseURI).protocol);
  } catch {
    return false;
  }
}
