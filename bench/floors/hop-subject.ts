/** Where the two sides of the floor of a hop meet. */
export const hopSubject = 'bench.hop'
