/* global eventHandler -- imported by Nitro */
export default eventHandler(() => 'Things')
