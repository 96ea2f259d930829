/** The chart library that pages load before their modules. */
declare const uPlot: any;
