/** Submitting a form. */
import { type FormEvent, useState } from 'react'

/** One submit at a time; its error stays until the next one. */
export function useSubmit(work: () => Promise<void>) {
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  async function submit(event?: FormEvent): Promise<void> {
    event?.preventDefault()
    if (isBusy) return
    setBusy(true)
    setError(undefined)
    try {
      await work()
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return { error, isBusy, submit: (event?: FormEvent) => void submit(event) }
}
