/** Marks in the contents the part that is in view. */
export function followReading(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('nav a[href^="#"]')].map((link) => [
      link.hash.slice(1),
      link,
    ]),
  );
  const read = new Set<Element>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (isIntersecting) read.add(target);
        else read.delete(target);
      }
      // If several parts are in view, the last one has its beginning there.
      const [last] = [...read].sort((a, b) =>
        a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? 1 : -1,
      );
      if (!last) return;
      for (const link of links.values()) link.removeAttribute("aria-current");
      links.get(last.id)?.setAttribute("aria-current", "true");
    },
    { rootMargin: "-10% 0px -80% 0px" },
  );
  for (const id of links.keys()) {
    const target = document.getElementById(id);
    if (target) observer.observe(target);
  }
}
