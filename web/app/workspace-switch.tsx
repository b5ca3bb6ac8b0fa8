/** The workspace at the top left; a click lists the operator's others. */
import { ChevronsUpDown } from 'lucide-react'
import { useMyWorkspaces } from '../parts/my-workspaces.ts'
import { useText } from '../text/text.ts'
import { MenuButton } from './menu-button.tsx'
import styles from './shell.module.css'
import { appText } from './text.ts'

const loadMenu = () => import('./workspace-menu.tsx')

export function WorkspaceSwitch() {
  const t = useText(appText)
  const name = useMyWorkspaces().data?.find(({ is_current }) => is_current)?.name ?? t('product')
  return (
    <MenuButton
      label={t('workspace', { name })}
      className={styles['switch']}
      load={loadMenu}
      icon={
        <>
          <img src="/icon.svg" alt="" width={24} height={24} />
          <span className="cut">{name}</span>
          <ChevronsUpDown size={14} aria-hidden />
        </>
      }
    />
  )
}
