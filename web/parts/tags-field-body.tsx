/** Only ever loaded by way of `TagsField`. */
export { TagsInput as default } from '@mantine/core'
