/** Copies a text, over plain HTTP too, where browsers offer no clipboard API. */

/** False: the browser refused. */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Not offered over plain HTTP, or not permitted: the old API needs neither.
    return copiedBySelection(text)
  }
}

/** Selects the text in a temporary field next to the focused element, because dialogs trap the focus. */
function copiedBySelection(text: string): boolean {
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.style.cssText = 'position: fixed; opacity: 0'
  const place = before?.parentElement ?? document.body
  place.append(field)
  field.select()
  try {
    return document.execCommand('copy')
  } finally {
    field.remove()
    if (before instanceof HTMLElement) before.focus()
  }
}
