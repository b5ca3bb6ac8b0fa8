/** Whether events arrive: live, reconnecting with the seconds that are left, or offline since when. */
import { useEffect, useState } from 'react'
import { useConnection } from '../api/feed.ts'
import { clockTime } from '../parts/plot-shape.ts'
import { useLanguage, useText } from '../text/text.ts'
import styles from './shell.module.css'
import { appText } from './text.ts'

/** Without events for so long the service counts as away. */
const offlineAfterMs = 30_000

export function LiveState() {
  const t = useText(appText)
  const language = useLanguage()
  const connection = useConnection()
  const nowMs = useSeconds(connection.state === 'lost')
  const [state, text] = stateOf()
  return (
    <span className={styles['live']} data-state={state} title={state === 'live' ? t('liveHint') : text} role="status">
      <i />
      <span>{text}</span>
    </span>
  )

  function stateOf(): [string, string] {
    if (connection.state === 'connecting') return ['connecting', t('connecting')]
    if (connection.state === 'live') return ['live', t('live')]
    if (nowMs - connection.sinceMs > offlineAfterMs)
      return ['offline', t('offlineSince', { time: clockTime(connection.sinceMs / 1_000, language) })]
    return ['lost', t('reconnecting', { n: Math.max(0, Math.ceil((connection.retryAtMs - nowMs) / 1_000)) })]
  }
}

/** The time, once a second while `isOn`. */
function useSeconds(isOn: boolean): number {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    if (!isOn) return
    setNowMs(Date.now())
    const timer = setInterval(() => setNowMs(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [isOn])
  return nowMs
}
