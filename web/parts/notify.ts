/** Notifications of the browser, for who has asked for them. */
import { browserSetting } from '../app/browser-settings.ts'

export const notifiesOfWaiting = browserSetting('notify-waiting', false, (text) => text === 'true')

/**
 * @param tag a newer one takes its place, as does the same of another tab
 * @returns false: this browser shows none of a page
 */
export function notify(tag: string, title: string, onClick?: () => void): boolean {
  try {
    const shown = new Notification(title, { tag, icon: '/icon.svg' })
    shown.onclick = () => {
      window.focus()
      onClick?.()
      shown.close()
    }
    return true
  } catch {
    return false // Chromium on phones has them for service workers alone
  }
}
