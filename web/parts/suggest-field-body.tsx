/** Only ever loaded by way of `SuggestField`. */
export { Autocomplete as default } from '@mantine/core'
