/** TCP congestion control of measured connections (pure). */

/** @import { Environment } from '../types.js' */

/** Kernel setting with the congestion control of new connections (ip-sysctl.rst of the Linux kernel). */
export const CONGESTION_CONTROL = 'net.ipv4.tcp_congestion_control'
/**
 * Congestion control of private networks: the default of Linux since 2.6.19, so that results apply to most machines.
 * Under BBR a response of 1 MB costs up to twice the CPU time (docs/method.md).
 */
export const CUBIC = 'cubic'

/**
 * Returns the congestion control of the connections of a run, without settings of single arms.
 * @param {Pick<Environment, 'lab' | 'sysctl'>} environment
 * @returns {string | undefined} undefined: unknown
 */
export const getCongestionControl = ({ lab, sysctl }) =>
  // A private network without a setting of its own inherits that of the host.
  lab.congestionControl ?? sysctl[CONGESTION_CONTROL]
