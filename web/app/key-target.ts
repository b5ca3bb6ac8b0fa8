/** Whom a key is for: a field takes its own, and so does what lies over the page. */

/** Letters are typed there. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select, [role=textbox]'))

/** A dialog, a menu or a list of options is open. */
export const isCovered = (): boolean =>
  document.querySelector('[role="dialog"], [role="menu"], [role="listbox"]') !== null
