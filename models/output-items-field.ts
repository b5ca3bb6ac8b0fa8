/** A field of the choice: items that the chat convention has no place for, such as searches that the endpoint made, as they came. */
export const outputItemsField = 'output_items'
