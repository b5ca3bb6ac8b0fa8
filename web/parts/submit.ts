/** What a form does when it is sent: once at a time, and its failure stays to be read. */
import { type FormEvent, useState } from 'react'

/** One submit at a time; its failure is kept until the next. */
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
