/** A text field with suggestions. The list of them is a large part of the library, so it is loaded behind the page. */
import { type AutocompleteProps, TextInput } from '@mantine/core'
import { lazy, Suspense } from 'react'

const Field = lazy(() => import('./suggest-field-body.tsx'))

export function SuggestField(props: AutocompleteProps & { value: string }) {
  const { label, description, value, w } = props
  return (
    <Suspense fallback={<TextInput label={label} description={description} value={value} w={w} readOnly />}>
      <Field {...props} />
    </Suspense>
  )
}
