import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextPile } from '../../runtime/text-pile.ts'

test('it is the text of its pieces, whenever it is read', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 300 }), fc.nat(300), (pieces, readAfter) => {
      const pile = new TextPile()
      for (const [at, piece] of pieces.entries()) {
        pile.add(piece)
        if (at === readAfter) expect(pile.toString()).toBe(pieces.slice(0, at + 1).join(''))
      }
      expect(pile.toString()).toBe(pieces.join(''))
      expect(pile.length).toBe(pieces.join('').length)
    }),
  )
})
