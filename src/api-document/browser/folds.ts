/** Opens whatever folds hide the target of a link, and the target itself; then shows it. */
export function reveal(hash: string): void {
  const target = document.getElementById(decodeURIComponent(hash.slice(1)));
  if (!target) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null)
    fold.open = true;
  target.scrollIntoView();
}

/** Lets links open folds. When a reader opens a fold, the address of the page gets its anchor. */
export function openFolds(): void {
  addEventListener("hashchange", () => reveal(location.hash));
  document.addEventListener("click", ({ target }) => {
    const link = (target as Element).closest<HTMLAnchorElement>('a[href^="#"]');
    if (link && link.hash === location.hash) reveal(link.hash);
    const opened = (target as Element).closest("summary")?.parentElement;
    if (opened?.id) history.replaceState(null, "", `#${opened.id}`);
  });
  if (location.hash) reveal(location.hash);
  // A narrow page begins with its contents folded away.
  if (matchMedia("(max-width: 60rem)").matches)
    document.querySelector("nav details")?.removeAttribute("open");
}
