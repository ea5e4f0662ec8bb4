/** Marks in the contents the part that is being read. */
export function letMark(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>("nav a")];
  const parts = links.map(({ hash }) => document.querySelector(hash) as Element);
  const topOf = (part: Element) => part.getBoundingClientRect().top;
  function mark() {
    // Where a link has led to counts while it is in view: a short part at the end of the page never comes to the top.
    const target = document.querySelector(":target");
    const led = target && topOf(target) >= 0 && topOf(target) < innerHeight;
    const read = led
      ? parts.findLastIndex((part) => part.contains(target))
      : parts.findLastIndex((part) => topOf(part) < innerHeight / 3);
    for (const [index, link] of links.entries()) link.ariaCurrent = index === read ? "location" : null;
  }
  addEventListener("scroll", mark, { passive: true });
  addEventListener("hashchange", mark);
  mark();
}
