// A list of any length: only the rows that can be seen are elements.

class List {
  // `make(index)` gives the element of a row.
  constructor(box, make, height = 21) {
    Object.assign(this, { box, make, height, count: 0, from: 0, to: 0 });
    this.space = element("div");
    this.rows = element("div.rows");
    box.replaceChildren(this.space, this.rows);
    box.addEventListener("scroll", () => this.schedule(), { passive: true });
    new ResizeObserver(() => this.draw(true)).observe(box);
  }

  setCount(count) {
    this.count = count;
    this.space.style.height = `${count * this.height}px`;
    this.draw(true);
  }

  schedule() {
    if (!this.waiting) {
      this.waiting = true;
      requestAnimationFrame(() => { this.waiting = false; this.draw(false); });
    }
  }

  draw(again) {
    const from = Math.max(0, Math.floor(this.box.scrollTop / this.height) - 6);
    const to = Math.min(this.count, Math.ceil((this.box.scrollTop + this.box.clientHeight) / this.height) + 6);
    if (!again && from === this.from && to === this.to) return;
    [this.from, this.to] = [from, to];
    const made = [];
    for (let index = from; index < to; index++) made.push(this.make(index));
    this.rows.style.top = `${from * this.height}px`;
    this.rows.replaceChildren(...made);
  }

  // Scrolls as little as is needed, and a little more, so that what comes next can be seen too.
  show(index) {
    const top = index * this.height, space = Math.min(3 * this.height, this.box.clientHeight / 3);
    if (top - space < this.box.scrollTop) this.box.scrollTop = Math.max(0, top - space);
    else if (top + this.height + space > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = top + this.height + space - this.box.clientHeight;
    this.draw(true);
  }
}
