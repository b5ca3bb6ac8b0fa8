/** A trial of the typed fields, one at a time: typing or leaving the step aborts it, on the service too. */
import { useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import type { Answer, Body } from '../../api/types.ts'

type TrialResult = Answer<'POST /v1/admin/settings/test-model'>

interface TrialState {
  isBusy: boolean
  trial?: TrialResult | undefined
  error?: unknown
}

/** @param body of the trial, as the fields are now */
export function useTrial(body: Body<'POST /v1/admin/settings/test-model'>) {
  const [state, setState] = useState<TrialState>({ isBusy: false })
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  function stop(): void {
    running.current?.abort()
    setState({ isBusy: false })
  }
  /** @returns undefined: it was given up, or could not be made */
  async function run(): Promise<TrialResult | undefined> {
    stop()
    const controller = new AbortController()
    running.current = controller
    setState({ isBusy: true })
    const outcome = await call('POST /v1/admin/settings/test-model', { body, signal: controller.signal }).then(
      (trial) => ({ trial }),
      (error: unknown) => ({ error, trial: undefined }),
    )
    if (controller.signal.aborted) return undefined
    setState({ isBusy: false, ...outcome })
    return outcome.trial
  }
  return { ...state, stop, run, begin: () => void run() }
}
