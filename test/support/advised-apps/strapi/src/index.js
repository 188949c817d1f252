module.exports = { register () {}, bootstrap () {} }
