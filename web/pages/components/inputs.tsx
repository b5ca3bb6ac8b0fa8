/** Buttons, fields and layers. */
import { Button, Checkbox, SegmentedControl, Switch, TextInput, Tooltip } from '@mantine/core'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { FieldState } from '../../parts/field-state.tsx'
import { NumberField } from '../../parts/number-field.tsx'
import { SaveBar } from '../../parts/save-bar.tsx'
import { useText } from '../../text/text.ts'
import styles from './components.module.css'
import { componentsText } from './text.ts'

const busyMs = 2_000

export default function InputParts() {
  const t = useText(componentsText)
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [name, setName] = useState('billing')
  const [rate, setRate] = useState<number | undefined>(600)
  return (
    <>
      <Card title={t('buttons')}>
        <div className={styles['row']}>
          <Button>{t('save')}</Button>
          <Button variant="default">{t('test')}</Button>
          <Button variant="subtle" color="gray">
            {t('cancel')}
          </Button>
          <Button variant="default" color="red">
            {t('refuse')}
          </Button>
          <Tooltip label={t('disabled')}>
            <Button data-disabled onClick={(event) => event.preventDefault()}>
              {t('save')}
            </Button>
          </Tooltip>
          <Button
            loading={isBusy}
            onClick={() => {
              setBusy(true)
              setTimeout(() => setBusy(false), busyMs)
            }}
          >
            {t('busy')}
          </Button>
        </div>
        <div className={styles['row']}>
          <Button size="xs">{t('save')}</Button>
          <Button size="xs" variant="default">
            {t('test')}
          </Button>
        </div>
      </Card>
      <Card title={t('fields')}>
        <div className={styles['column']}>
          <FieldState was={name === 'billing' ? undefined : 'billing'} onUndo={() => setName('billing')}>
            <TextInput label={t('name')} value={name} onChange={(event) => setName(event.currentTarget.value)} />
          </FieldState>
          <TextInput label={t('address')} defaultValue="htp://models" error={t('addressError')} />
          <NumberField label={t('rate')} unit={t('rateUnit')} value={rate} onNumber={setRate} />
          <FieldState source="environment">
            <TextInput label={t('token')} value="••••3e9c" disabled />
          </FieldState>
          <div className={styles['row']}>
            <Checkbox label={t('notify')} defaultChecked />
            <Switch label={t('live')} defaultChecked />
          </div>
          <SegmentedControl aria-label={t('period')} data={['1 h', '6 h', '24 h']} />
        </div>
      </Card>
      <Card title={t('layers')}>
        <Button variant="default" onClick={() => setOpen(true)}>
          {t('deleteTitle')}
        </Button>
        {isOpen && (
          <ConfirmAction
            title={t('deleteTitle')}
            actionLabel={t('deleteButton')}
            typed="shop-email"
            onConfirm={async () => setOpen(false)}
            onClose={() => setOpen(false)}
          >
            {t('deleteWhat')}
          </ConfirmAction>
        )}
      </Card>
      <SaveBar
        changes={name === 'billing' ? 0 : 1}
        isBusy={false}
        onDiscard={() => setName('billing')}
        onSave={() => setName('billing')}
      />
    </>
  )
}
