"""Methods that see rows only through how alike any two are: dissimilarities, kernels, graphs."""
