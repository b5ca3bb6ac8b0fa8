/** A trial of the typed fields, one at a time: typing or leaving the step aborts it, on the service too. */
import { useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import type { ModelFields } from './save-model.ts'

interface TrialState {
  isBusy: boolean
  trial?: Answer<'POST /v1/admin/settings/test-model'>
  error?: unknown
}

export function useTrial({ address: gateway_url, model, key }: ModelFields) {
  const [state, setState] = useState<TrialState>({ isBusy: false })
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  function stop(): void {
    running.current?.abort()
    setState({ isBusy: false })
  }
  async function begin(): Promise<void> {
    stop()
    const controller = new AbortController()
    running.current = controller
    setState({ isBusy: true })
    const body = { provider: 'compatible' as const, gateway_url, model, ...(key !== '' && { key }) }
    const outcome = await call('POST /v1/admin/settings/test-model', { body, signal: controller.signal }).then(
      (trial) => ({ trial }),
      (error: unknown) => ({ error }),
    )
    if (!controller.signal.aborted) setState({ isBusy: false, ...outcome })
  }
  return { ...state, stop, begin: () => void begin() }
}
