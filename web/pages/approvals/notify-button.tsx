/** Asks the browser, at a click and never by itself, whether it may say when something new waits. */
import { Button } from '@mantine/core'
import { Bell, BellOff } from 'lucide-react'
import { useState } from 'react'
import { useSession } from '../../app/session.tsx'
import { notifiesOfWaiting, notify } from '../../parts/notify.ts'
import { useText } from '../../text/text.ts'
import { approvalsText } from './text.ts'

/** Browsers have them on pages over HTTPS and on localhost alone. */
const isPossible = 'Notification' in window && window.isSecureContext

export function NotifyButton() {
  const t = useText(approvalsText)
  const { may } = useSession()
  const [isOn, setOn] = useState(() => isPossible && notifiesOfWaiting.get() && Notification.permission === 'granted')
  const [refusal, setRefusal] = useState<'notifyBlocked' | 'notifyNever'>()
  if (!isPossible || !may('events.read')) return null
  async function change(): Promise<void> {
    const isWanted = !isOn
    if (isWanted && (await Notification.requestPermission()) !== 'granted') return setRefusal('notifyBlocked')
    if (isWanted && !notify('notifications', t('notifySample'))) return setRefusal('notifyNever')
    setRefusal(undefined)
    notifiesOfWaiting.set(isWanted)
    setOn(isWanted)
  }
  const Icon = isOn ? BellOff : Bell
  return (
    <>
      {refusal !== undefined && <span role="alert">{t(refusal)}</span>}
      <Button variant="default" leftSection={<Icon size={15} aria-hidden />} onClick={() => void change()}>
        {t(isOn ? 'notifyOff' : 'notifyOn')}
      </Button>
    </>
  )
}
