/** Which columns of a list show: a button with the count, and a box for each. The choice stays in the browser. */
import { Columns3 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { browserSetting } from '../app/browser-settings.ts'
import { useText } from '../text/text.ts'
import { Check } from './check.tsx'
import styles from './column-choice.module.css'
import { PopoverButton } from './popover-button.tsx'
import type { Column } from './table-row.tsx'
import { partsText } from './text.ts'

/**
 * @param name of the list, in the browser's storage
 * @param byDefault the keys that show until somebody chooses; undefined: all
 * @returns the columns that show, and the button for the end of the filter bar
 */
export function useColumnChoice<Row>(name: string, columns: readonly Column<Row>[], byDefault?: readonly string[]) {
  const setting = useMemo(
    () => browserSetting<readonly string[] | undefined>(`columns-${name}`, byDefault, (text) => text.split(',')),
    [name, byDefault],
  )
  const [keys, setKeys] = useState(setting.get)
  const shown = columns.filter(({ key, isMain }) => isMain || keys === undefined || keys.includes(key))
  function toggle(key: string): void {
    const isShown = shown.some((one) => one.key === key)
    const next = columns.filter((one) => (one.key === key ? !isShown : shown.includes(one))).map((one) => one.key)
    setKeys(next)
    setting.set(next)
  }
  return { columns: shown, button: <ColumnChoice columns={columns} shown={shown} onToggle={toggle} /> }
}

interface ColumnChoiceProps<Row> {
  columns: readonly Column<Row>[]
  shown: readonly Column<Row>[]
  onToggle(key: string): void
}

function ColumnChoice<Row>({ columns, shown, onToggle }: ColumnChoiceProps<Row>) {
  const p = useText(partsText)
  return (
    <PopoverButton
      side="end"
      className={styles['button']}
      content={
        <>
          <Columns3 size={16} aria-hidden />
          {p('columns')}
          <span className={styles['count']}>{p('columnsOf', { n: shown.length, all: columns.length })}</span>
        </>
      }
    >
      {() =>
        columns.map((column) => (
          // biome-ignore lint/a11y/noLabelWithoutControl: the box is inside
          <label key={column.key} className={styles['column']}>
            <Check
              label={column.title}
              isChecked={shown.includes(column)}
              isDisabled={column.isMain ?? false}
              onToggle={() => onToggle(column.key)}
            />
            {column.title}
          </label>
        ))
      }
    </PopoverButton>
  )
}
