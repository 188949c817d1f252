/** The chart library is a script of its own, before this one. */
declare const uPlot: typeof import('uplot')
