/** The script of a report: unpacks its sections, copies configurations, and saves the data in the page. */

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
function getElement (id) {
  const element = document.getElementById(id)
  if (!element) throw new Error(`no #${id} in this page`)
  return element
}

/** @param {string} selector */
const getElements = selector =>
  [...document.querySelectorAll(selector)].filter(element => element instanceof HTMLElement)

/** @param {string} id of the data */
function unpack (id) {
  const packed = Uint8Array.from(atob(getElement(`data-${id}`).textContent ?? ''), letter => letter.charCodeAt(0))
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).blob()
}

/**
 * @param {Blob} blob
 * @param {string} name of the file
 */
function save (blob, name) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

// In a page of a site the sections are packed.
if (document.getElementById('data-main')) {
  getElement('main').innerHTML = await (await unpack('main')).text()
  // The section in the address was not there when the page was loaded.
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView()
}

for (const button of getElements('[data-download]')) {
  button.addEventListener('click', async () => {
    const { download = '', name = '', type } = button.dataset
    save(new Blob([await unpack(download)], { type }), name)
    getElement('status').textContent = `${name} was saved.`
  })
}

for (const button of getElements('[data-copy]')) {
  button.addEventListener('click', async () => {
    const source = getElement(button.dataset.copy ?? '')
    try {
      await navigator.clipboard.writeText(source.textContent ?? '')
    } catch {
      // Browsers can reject the clipboard to a page from disk, but allow copying the selection.
      document.getSelection()?.selectAllChildren(source)
      document.execCommand('copy')
    }
    button.textContent = 'Copied'
    setTimeout(() => { button.textContent = 'Copy' }, 2000)
  })
}
