/** Lets a callback of one test run while another does. */
export const gate = {
  open: (): void => {},
  opened: Promise.resolve(),
  passed: Promise.resolve() as Promise<unknown>,
};
gate.opened = new Promise((resolve) => {
  gate.open = resolve;
});
