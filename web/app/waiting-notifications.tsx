/** Says by a notification of the browser that something new waits, while nobody looks at the page. */
import { useNavigate } from '@tanstack/react-router'
import { useEvents } from '../api/feed.ts'
import { targetOf } from '../parts/link-to.tsx'
import { notifiesOfWaiting, notify } from '../parts/notify.ts'
import { texts, useText } from '../text/text.ts'

/** Without arguments: a notification is seen by whoever is near. */
const notificationText = texts({
  en: {
    asks: '{agent} asks to call {tool}',
    unknown: 'It is not known whether {tool} took effect',
  },
  ru: {
    asks: '{agent} просит вызвать {tool}',
    unknown: 'Неизвестно, подействовал ли {tool}',
  },
})

export default function WaitingNotifications() {
  const t = useText(notificationText)
  const navigate = useNavigate()
  useEvents(['approval.requested', 'step.unknown'], (event) => {
    if (!notifiesOfWaiting.get() || document.hasFocus() || Notification.permission !== 'granted') return
    const isApproval = event.kind === 'approval.requested'
    const { approval_id, turn_id, path, n, agent, tool, name } = event
    const item = isApproval ? String(approval_id) : `${turn_id} ${path} ${n}`
    const title = isApproval
      ? t('asks', { agent: String(agent), tool: String(tool) })
      : t('unknown', { tool: String(name) })
    notify(item, title, () => void navigate(targetOf('/approvals', { item })))
  })
  return null
}
