/** Downloads content as a file. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // By then every browser has read the content.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
