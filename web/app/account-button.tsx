/** The account's button: the initials of the operator. */
import { useText } from '../text/text.ts'
import { MenuButton } from './menu-button.tsx'
import { useSession } from './session.tsx'
import styles from './shell.module.css'
import { appText } from './text.ts'

const loadMenu = () => import('./account-menu.tsx')

export function AccountButton() {
  const t = useText(appText)
  const { operator } = useSession().session
  return (
    <MenuButton
      label={t('account')}
      className={styles['tool']}
      load={loadMenu}
      icon={
        // Drawn by the style sheet: letters in the document would have to be in the button's name.
        <span className={styles['avatar']} data-initials={initials(operator.name || operator.login)} />
      }
    />
  )
}

/** One or two letters of a name. */
function initials(name: string): string {
  const letters = name
    .trim()
    .split(/\s+/)
    .map((word) => [...word][0] ?? '')
  return [letters[0], letters.length > 1 ? letters.at(-1) : ''].join('').toUpperCase()
}
