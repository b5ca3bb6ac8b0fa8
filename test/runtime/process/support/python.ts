/** A program of Python in a template, with what is put in as it is. */
export function python(texts: TemplateStringsArray, ...values: readonly unknown[]): string {
  return String.raw({ raw: texts }, ...values).trim()
}
