/** Which models have rows of their own in the sums of usage. */

/** A name that is in no answer of a model: of all that came after as many as a day may have. */
export const otherModels = '(other models)'

/** More than any installation has; each is kept for ever, and read by whoever groups by model. */
const namesMax = 500
const dayMs = 86_400_000

/** @returns the name, or `otherModels`: endpoints may name another model in each answer, and clients in each call */
export function modelNames(): (model: string, nowMs: number) => string {
  let day = 0
  let names = new Set<string>()
  return (model, nowMs) => {
    const today = Math.floor(nowMs / dayMs)
    if (today !== day) {
      day = today
      names = new Set()
    }
    if (names.has(model)) return model
    if (names.size >= namesMax) return otherModels
    names.add(model)
    return model
  }
}
