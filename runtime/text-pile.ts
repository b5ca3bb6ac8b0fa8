/**
 * Text that comes in many small pieces and is read once, at the end. `text += piece` keeps each piece and a node for it in
 * memory: with thousands of streams the garbage collector copies millions of them. Here pieces are joined as they come.
 */

/** Pieces that wait to be joined. */
const piecesMax = 64

export class TextPile {
  length = 0
  #joined: string[] = []
  #pieces: string[] = []

  add(piece: string): void {
    this.length += piece.length
    this.#pieces.push(piece)
    if (this.#pieces.length === piecesMax) this.#join()
  }

  toString(): string {
    if (this.#pieces.length > 0) this.#join()
    if (this.#joined.length > 1) this.#joined = [this.#joined.join('')]
    return this.#joined[0] ?? ''
  }

  #join(): void {
    this.#joined.push(this.#pieces.join(''))
    this.#pieces = []
  }
}
