/** All keys, in a dialog. */
import { tabsOf } from '../pages/pages.ts'
import { sectionNames, sections } from '../pages/sections.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Kbd } from '../parts/kbd.tsx'
import { KeyValue } from '../parts/key-value.tsx'
import { useLanguage, useText } from '../text/text.ts'
import { keysText } from './keys-text.ts'
import { useSession } from './session.tsx'

export default function KeysHelp({ onClose }: { onClose(): void }) {
  const t = useText(keysText)
  const language = useLanguage()
  const { may } = useSession()
  const pages = sectionNames.flatMap((name) => {
    const { letter, title } = sections[name]
    return letter !== undefined && tabsOf(name, may).length > 0 ? [{ letter, title: title[language] }] : []
  })
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <KeyValue
        rows={[
          [t('palette'), <Kbd key="palette">Ctrl K</Kbd>],
          [t('search'), <Kbd key="search">/</Kbd>],
          ...pages.map(({ letter, title }): [string, React.ReactNode] => [
            title,
            <span key={letter}>
              <Kbd>G</Kbd> <Kbd>{letter.toUpperCase()}</Kbd>
            </span>,
          ]),
          [
            t('rows'),
            <span key="rows">
              <Kbd>J</Kbd> <Kbd>K</Kbd> <Kbd>↓</Kbd> <Kbd>↑</Kbd>
            </span>,
          ],
          [t('open'), <Kbd key="open">Enter</Kbd>],
          [
            t('choose'),
            <span key="choose">
              <Kbd>X</Kbd> <Kbd>Shift X</Kbd>
            </span>,
          ],
          [t('close'), <Kbd key="close">Esc</Kbd>],
          [
            t('tabs'),
            <span key="tabs">
              <Kbd>[</Kbd> <Kbd>]</Kbd>
            </span>,
          ],
          [t('filter'), <Kbd key="filter">F</Kbd>],
          [t('reload'), <Kbd key="reload">R</Kbd>],
          [
            t('decide'),
            <span key="decide">
              <Kbd>A</Kbd> <Kbd>R</Kbd>
            </span>,
          ],
          [t('save'), <Kbd key="save">Ctrl S</Kbd>],
          [t('send'), <Kbd key="send">Ctrl Enter</Kbd>],
          [t('theme'), <Kbd key="theme">T</Kbd>],
          [t('allKeys'), <Kbd key="all">?</Kbd>],
        ]}
      />
    </Dialog>
  )
}
