// The only script of a report: it copies, and it saves what the page carries.

/** @param {string} id @returns {HTMLElement} */
const byId = id => {
  const element = document.getElementById(id)
  if (!element) throw new Error(`no #${id} in this page`)
  return element
}

/** @param {string} selector @returns {HTMLElement[]} */
const all = selector => [...document.querySelectorAll(selector)].filter(element => element instanceof HTMLElement)

/** @param {string} id */
const unpack = async id => {
  const packed = Uint8Array.from(atob(byId(`data-${id}`).textContent ?? ''), letter => letter.charCodeAt(0))
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).blob()
}

/** @param {Blob} blob @param {string} name */
const save = (blob, name) => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

for (const button of all('[data-download]')) {
  button.addEventListener('click', async () => {
    const { download = '', name = '', type } = button.dataset
    save(new Blob([await unpack(download)], { type }), name)
    byId('said').textContent = `${name} was saved.`
  })
}

for (const button of all('[data-copy]')) {
  button.addEventListener('click', async () => {
    const source = byId(button.dataset.copy ?? '')
    try {
      await navigator.clipboard.writeText(source.textContent ?? '')
    } catch {
      // A page from disk may be refused the clipboard: what is selected can still be copied.
      document.getSelection()?.selectAllChildren(source)
      document.execCommand('copy')
    }
    button.textContent = 'Copied'
    setTimeout(() => { button.textContent = 'Copy' }, 2000)
  })
}
