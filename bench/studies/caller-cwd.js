/** npm changes into the project's folder; this is where the person stood. */
export const callerCwd = () => process.env.INIT_CWD ?? process.cwd()
