// Making elements. Every text goes through `visible` and becomes a text node, never markup.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);

// Longer texts are cut where they are shown; downloads have the whole.
const LONGEST = 600;
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

// What would reorder the text around it, or cannot be seen, is shown by its number.
function visible(text) {
  text = String(text);
  const cut = text.length > LONGEST ? text.slice(0, LONGEST) + ` … (${text.length.toLocaleString("en")} characters)` : text;
  return cut.replace(HIDDEN, letter => `\\u{${letter.charCodeAt(0).toString(16)}}`);
}

// element("div.a.b", {title: …, onclick: …}, child, …): children are elements, texts, or nothing.
function element(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made[key] = value;
    else if (key.startsWith("--")) made.style.setProperty(key, value);
    else made.setAttribute(key, value === true ? "" : key === "title" || key.startsWith("aria") ? visible(value) : value);
  }
  append(made, children);
  return made;
}

function append(parent, children) {
  for (const child of children.flat(4)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : document.createTextNode(visible(child)));
  }
}

function svg(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) made[key] = value;
    else if (value !== undefined && value !== null) made.setAttribute(key, value);
  }
  append(made, children);
  return made;
}

function replace(parent, ...children) {
  parent.textContent = "";
  append(parent, children);
}

const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
const baseName = name => name.split("/").pop();
