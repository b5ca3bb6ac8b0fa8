/**
 * Words of customers within a line: they keep their own direction, and turn nothing beside them around. Their controls of
 * direction are left out, because one that is not closed, or closes too much, reaches past any element.
 */

const directionControls = /[\u202a-\u202e\u2066-\u2069]/g

interface WordsProps {
  children: string
  /** Its first occurrence is marked, in any case. */
  mark?: string
}

export function Words({ children, mark = '' }: WordsProps) {
  const text = children.replaceAll(directionControls, '')
  const word = mark.trim()
  const at = word === '' ? -1 : text.toLocaleLowerCase().indexOf(word.toLocaleLowerCase())
  if (at < 0) return <bdi>{text}</bdi>
  return (
    <bdi>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + word.length)}</mark>
      {text.slice(at + word.length)}
    </bdi>
  )
}
