/** A field of several words, with suggestions. Loaded behind the page, as `SuggestField`. */
import { type TagsInputProps, TextInput } from '@mantine/core'
import { lazy, Suspense } from 'react'

const Field = lazy(() => import('./tags-field-body.tsx'))

export function TagsField(props: TagsInputProps & { value: string[] }) {
  const { label, description, value } = props
  return (
    <Suspense fallback={<TextInput label={label} description={description} value={value.join(', ')} readOnly />}>
      <Field {...props} />
    </Suspense>
  )
}
