export function find<Found extends Element = HTMLElement>(within: ParentNode, selector: string): Found {
  return within.querySelector<Found>(selector) as Found;
}
