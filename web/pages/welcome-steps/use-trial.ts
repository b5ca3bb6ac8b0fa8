/** A trial of what is typed, one at a time: whoever types on or leaves the step ends it, at the service too. */
import { useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import type { ModelFields } from './save-model.ts'

interface Tried {
  isBusy: boolean
  trial?: Answer<'POST /v1/admin/settings/test-model'>
  error?: unknown
}

export function useTrial({ address: gateway_url, model, key }: ModelFields) {
  const [tried, setTried] = useState<Tried>({ isBusy: false })
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  function stop(): void {
    running.current?.abort()
    setTried({ isBusy: false })
  }
  async function begin(): Promise<void> {
    stop()
    const controller = new AbortController()
    running.current = controller
    setTried({ isBusy: true })
    const body = { provider: 'compatible' as const, gateway_url, model, ...(key !== '' && { key }) }
    const outcome = await call('POST /v1/admin/settings/test-model', { body, signal: controller.signal }).then(
      (trial) => ({ trial }),
      (error: unknown) => ({ error }),
    )
    if (!controller.signal.aborted) setTried({ isBusy: false, ...outcome })
  }
  return { ...tried, stop, begin: () => void begin() }
}
